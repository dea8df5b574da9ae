case when i between -5 and 10 then upper(s) when s ilike 'a_%' then lower(s) else coalesce(s, 'none') end
