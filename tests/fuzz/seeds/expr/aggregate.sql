sum(case when b then l else 0 end)
