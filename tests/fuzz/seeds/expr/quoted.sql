events."userId" <> 0 /* comment */ -- to the end
