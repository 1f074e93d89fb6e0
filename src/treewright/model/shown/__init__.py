"""How a fitted model is shown: summary, report, page, pictures, its rows level by level."""
