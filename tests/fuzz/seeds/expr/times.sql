extract(year from ts) + extract(isodow from dt) > 3 and ts >= date_trunc('hour', ts - interval '1 day')
