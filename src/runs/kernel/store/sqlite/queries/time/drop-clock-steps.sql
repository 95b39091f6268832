DELETE FROM clock_step WHERE number <= (SELECT max(number) FROM clock_step) - 100
