"""`joute suite`: `table` (terminal, CSV, JSON, cases from stored games), `answer` (who passes most, beyond
chance or not, and the card), `page` (HTML), `script` (test scripts of a protocol).
"""
