"""Write views, tables and curves to files, each with the settings that reproduce it.

`save` handles `Explanation.save` and `ICEExplorer.save`, `request` the Export menu. Start at `save`.
"""
