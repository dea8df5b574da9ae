to_timestamp(s, 'YYYY-MM-DD HH24:MI:SS') = timestamp '2026-02-28 23:59:59'
