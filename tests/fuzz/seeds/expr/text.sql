substring(trim(both 'x' from replace(s, 'a', 'bb')), 2, 3) = split_part(s, ',', 2) and length(s) > 0
