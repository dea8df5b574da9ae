cast(s as int) + m::decimal(38,10) + i::bigint + '12'::double precision
