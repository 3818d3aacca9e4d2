"""Names of labels are those of a source that states the order of the columns."""

import numpy as np

from skldl.datasets import load, numbered

#: Rows of the public ratings of the JAFFE images, one for each posed emotion: place in
#: the table, then HAP SAD SUR ANG DIS FEA.
RATINGS = {
    3: (4.90, 1.13, 1.26, 1.10, 1.03, 1.10),  # KM-HA1
    7: (1.42, 4.00, 1.55, 2.39, 3.26, 3.03),  # KM-SA1
    11: (2.13, 1.55, 4.97, 1.65, 1.45, 2.10),  # KM-SU1
    14: (1.39, 2.03, 1.57, 4.58, 3.77, 1.68),  # KM-AN1
    17: (1.26, 2.10, 1.81, 3.52, 4.71, 2.26),  # KM-DI1
    212: (1.48, 3.26, 3.39, 2.71, 3.06, 3.74),  # NA-FE3
}


def test_the_labels_of_sjaffe_are_the_columns_of_the_ratings(real_data):
    real_data("SJAFFE")
    data = load("SJAFFE")
    names = ["happiness", "sadness", "surprise", "anger", "disgust", "fear"]
    assert data.label_names.tolist() == names
    for place, (row, ratings) in enumerate(RATINGS.items()):
        np.testing.assert_allclose(data.D[row], np.divide(ratings, sum(ratings)))
        assert data.label_names[data.D[row].argmax()] == names[place]


def test_no_names_are_guessed(real_data):
    real_data("M2B")
    data = load("M2B")
    assert data.label_names.tolist() == numbered("label", data.n_labels).tolist()
