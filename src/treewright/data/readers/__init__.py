"""Files in: CSV and its kin, Parquet, Arrow, JSON lines, Excel, ARFF, C4.5's own files, tables of databases.

``read_table`` reads a source whole, ``read_chunks`` a part at a time, so that a file may be larger than memory. polars
does the reading and is imported when the first file is.
"""

from treewright.data.readers.contents import Contents, Told
from treewright.data.readers.reader import read_chunks, read_table

__all__ = ["Contents", "Told", "read_chunks", "read_table"]
