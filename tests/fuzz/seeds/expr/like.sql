s like 'a!%%' escape '!' or s not like '%é_'
