"""scikit-learn and NumPy on the input of an application, beside it: what `multiloop apps --compare` runs.

    python apps.py                     prints {"kmeans": ["scikit-learn"], "logistic": [], …}: the modules that each lacks
    python apps.py APP FOLDER NUMBERS  runs one; NUMBERS is a JSON object, FOLDER has arrays as .npy:

    {"iterations": 10, …}              {"version": …, "ms": all iterations, "result": [numbers as the application's]}

How many threads there are says the environment (OMP_NUM_THREADS and its like), before NumPy is imported. What is run is what one
writes with these libraries, once on few rows so that nothing is loaded or begun while it is timed, and once on all.
"""
import importlib.util
import json
import pathlib
import sys
import time
import warnings


def kmeans(np, arrays, numbers):
    """Lloyd's algorithm from the same start, for as many iterations unless nothing moves before."""
    from sklearn.cluster import KMeans

    first = arrays["first"]
    lloyd = KMeans(len(first), init=first, n_init=1, max_iter=int(numbers["iterations"]), tol=0, algorithm="lloyd")
    return lloyd.fit(arrays["points"]).cluster_centers_


def logistic(np, arrays, numbers):
    """Steps along the gradient, in the type of the features: what BLAS has for matrices of these."""
    features, kinds = arrays["features"], arrays["kinds"]
    weights = np.zeros(features.shape[1], features.dtype)
    with np.errstate(over="ignore"):
        for _ in range(int(numbers["iterations"])):
            error = kinds - 1 / (1 + np.exp(-(features @ weights)))
            weights += (numbers["rate"] * (error @ features)).astype(features.dtype)
    return weights


def gda(np, arrays, numbers):
    """Share and means, and the covariance as a product of matrices."""
    features, classes = arrays["features"], arrays["classes"]
    means = np.stack([features[classes == each].mean(axis=0, dtype=np.float64) for each in (0, 1)])
    away = features - means.astype(features.dtype)[classes]
    covariance = away.T @ away / len(features)
    return np.concatenate([[classes.mean()], means.ravel(), covariance.ravel()])


# The function of each, its modules, and the one whose version is said.
APPS = {
    "kmeans": (kmeans, {"numpy": "numpy", "sklearn": "scikit-learn"}, "sklearn"),
    "logistic": (logistic, {"numpy": "numpy"}, "numpy"),
    "gda": (gda, {"numpy": "numpy"}, "numpy"),
}
FEW = 1000  # rows of the run that is not timed


def lacking(modules):
    return [package for module, package in modules.items() if importlib.util.find_spec(module) is None]


def main():
    if len(sys.argv) == 1:
        print(json.dumps({app: lacking(modules) for app, (_, modules, _) in APPS.items()}))
        return
    app, folder, numbers = sys.argv[1], pathlib.Path(sys.argv[2]), json.loads(sys.argv[3])
    import numpy as np

    # That few rows do not converge, or that all do before the last iteration, is nobody's concern.
    warnings.simplefilter("ignore")
    run, _, named = APPS[app]
    arrays = {path.stem: np.load(path) for path in folder.glob("*.npy")}
    rows = max(len(array) for array in arrays.values())
    few = {name: array[:FEW] if len(array) == rows else array for name, array in arrays.items()}
    run(np, few, {**numbers, "iterations": 1})
    at = time.perf_counter()
    result = run(np, arrays, numbers)
    ms = (time.perf_counter() - at) * 1e3
    version = importlib.import_module(named).__version__
    print(json.dumps({"version": version, "ms": ms, "result": np.asarray(result, np.float64).ravel().tolist()}))


if __name__ == "__main__":
    main()
