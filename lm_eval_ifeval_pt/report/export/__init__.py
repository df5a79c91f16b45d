"""Results in the formats of others: tables for spreadsheets and papers, model cards, shared stores of evaluations."""
