b and not (i > 3 or s is null) and ts is not distinct from ts or b is not true
