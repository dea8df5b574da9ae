(select max(i) over () from t where $1 = 1) = array[1]; drop table x
