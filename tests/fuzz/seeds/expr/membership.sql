i in (1, 2, null, 7) and s not in ('a', 'b')
