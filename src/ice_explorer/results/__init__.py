"""What an explanation uses: options, notes, intervals, groups of rows, two features at once, changes of one row."""
