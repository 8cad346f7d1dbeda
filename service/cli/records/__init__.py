"""Commands that read files of records offline: check, rewrite and verify them."""
