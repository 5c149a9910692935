"""Search behind one door: `find.Found` reads, `documents.write` keeps what it reads."""
