case i when 1 then 'one' when 2 then 'two' end || '!'
