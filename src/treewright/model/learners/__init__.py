"""The learners as estimators: trees, rules, linear leaves and neighbours."""
