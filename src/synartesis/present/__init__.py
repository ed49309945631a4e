"""Records to plain words, shared by terminal, screen and page. Pure: records in, lines out.

Whatever came from outside (arguments, answers, names, reasons) goes through `safe_text`; nothing here prints.
"""
