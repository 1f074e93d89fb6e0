"""scikit-learn's own checks, and the places where estimators are used: clone, pipelines, searches, pickles."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw

ESTIMATORS = [
    tw.ID3Classifier(),
    tw.C45Classifier(),
    tw.CARTClassifier(),
    tw.TreeClassifier(splits="one-vs-rest", smoothing="laplace"),
    tw.CARTRegressor(),
    tw.TreeRegressor(splits="multiway"),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
