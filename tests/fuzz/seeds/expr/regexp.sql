regexp_extract_all(lower(s), '[a-z]+')
