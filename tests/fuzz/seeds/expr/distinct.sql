count(distinct s || 'x')
