"""When and why a committed offset expires: the rule, and the sentences that explain it.

The broker evaluates the rule, and the pipeline translates its tables to SQL.
"""
