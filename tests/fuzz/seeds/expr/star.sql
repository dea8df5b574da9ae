count(*)
