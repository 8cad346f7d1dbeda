"""One numbered module for each revision of the tables, with the step from the previous one."""
