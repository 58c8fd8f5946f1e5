"""
Texts: what do people write to the help desk?
=============================================

Five hundred messages, and nobody has read them yet. How many subjects are there, and
what are they about? First from the words alone, then with four messages that somebody
has read.
"""

# %%
# The messages are made up: sentences with gaps that are filled at random, on five
# subjects. (The sentences are in the script, which you can download below.)

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from sentree import SSEPartition, plots

# sphinx_gallery_start_ignore
SUBJECTS = {
    "invoice": [
        "I was charged {twice} for my {plan} subscription.",
        "The invoice for {month} shows the wrong {detail}.",
        "Please refund the amount that you took from my {card} in {month}.",
        "Why did the price of the {plan} plan go up in {month}?",
        "I need the invoice with our {detail} for the accounts.",
        "My {card} was charged although I cancelled the {plan} subscription.",
    ],
    "delivery": [
        "My {item} has not arrived, it was due {day}.",
        "The courier left the parcel with the {item} {place}.",
        "Tracking says it was delivered {day}, but there is no parcel {place}.",
        "When will the {item} be shipped? It was to come {day}.",
        "The parcel with my {item} was left {place} in the rain.",
        "Can the courier deliver the {item} {place} {day}?",
    ],
    "login": [
        "I cannot log in, it says that my {secret} is wrong.",
        "The mail to reset my {secret} never comes.",
        "My account is locked after I typed the {secret} {twice}.",
        "How do I change the {secret} of my account?",
        "I have a new phone and the {secret} for the login does not work.",
        "Someone else has logged in to my account, I have reset the {secret} {twice}.",
    ],
    "return": [
        "The {item} is too {size}, I want to send it back.",
        "The {item} came with a broken {part}, can I exchange it?",
        "How long may I return a {item} that is too {size}?",
        "I want to exchange the {item} for one in {colour}.",
        "The {part} of the {item} fell off, please send me a label to return it.",
        "It was to be {colour}, but the {item} is not, so I return it.",
    ],
    "crash": [
        "The app crashes when I open the {screen} on my {device}.",
        "Since the update the {screen} stays blank on my {device}.",
        "The {screen} in the app freezes {twice} a day.",
        "After the update the app is slow and the {screen} freezes.",
        "On my {device} the app closes itself when I tap on the {screen}.",
        "The button on the {screen} does nothing since the last update on {device}.",
    ],
}
FILLERS = {
    "twice": "twice, three times, again, several times",
    "plan": "yearly, monthly, family, student, business",
    "month": "January, March, May, August, October, December",
    "detail": "address, tax number, company name, total, discount",
    "card": "credit card, debit card, bank account",
    "item": "jacket, lamp, kettle, backpack, chair, bicycle helmet, desk, rug",
    "day": "yesterday, on Monday, on Friday, last week, this morning",
    "place": "at the door, with a neighbour, at the gate, in the hall, at the office",
    "secret": "password, code, PIN, security question",
    "size": "small, large, heavy, short, wide",
    "part": "zip, handle, strap, leg, switch, button",
    "colour": "blue, green, black, red, grey",
    "screen": "map, basket, settings page, start page, search, photo gallery",
    "device": "tablet, old phone, Android phone, iPhone, laptop",
}
GREETINGS = ["", "", "Hello,", "Dear team,", "Good morning,", "Hi there,"]
ENDINGS = ["", "", "Please help.", "Thanks!", "Best wishes", "It is urgent."]
rng = np.random.default_rng(0)


def message(subject):
    sentences = rng.choice(SUBJECTS[subject], rng.integers(1, 3), replace=False)
    fillers = {gap: rng.choice(words.split(", ")) for gap, words in FILLERS.items()}
    said = " ".join(sentences).format(**fillers)
    return f"{rng.choice(GREETINGS)} {said} {rng.choice(ENDINGS)}".strip()


# sphinx_gallery_end_ignore
subject = np.array([*SUBJECTS])[rng.permutation(np.arange(500) % 5)]
messages = np.array([message(one) for one in subject])
print("\n".join(messages[:4]))

# %%
# TF-IDF counts the words of each message, rare words more than frequent ones. sentree
# takes the sparse matrix as it is, and compares texts by the cosine.

counter = TfidfVectorizer(stop_words="english", sublinear_tf=True)
X = counter.fit_transform(messages)
model = SSEPartition().fit(X)
print(model.graph_settings_)
print(model.scale_)

# %%
# Each cluster is told by the words that are more frequent inside it than outside.


def telling_words(X, labels, cluster, n_words=6):
    inside, outside = (
        X[labels == cluster].mean(axis=0),
        X[labels != cluster].mean(axis=0),
    )
    more = np.asarray(inside - outside).ravel()
    first = np.argsort(-more, kind="stable")[:n_words]
    return counter.get_feature_names_out()[first], more[first]


for cluster in range(model.n_clusters_):
    found, _ = telling_words(X, model.labels_, cluster)
    print(f"{np.sum(model.labels_ == cluster):4} messages:", ", ".join(found))

# %%
# The messages about crashes, invoices and logins are clusters of their own. Those about
# deliveries and returns are one, since both name the goods.
#
# So we read four messages, the first of each subject but the crashes, and say what they
# are about. That is enough. And the subject that we did not name is found all the same:
# its name is None.

known = np.full(len(messages), None)
for one in ("invoice", "delivery", "login", "return"):
    known[np.argmax(subject == one)] = one
told = SSEPartition().fit(X, known)
print(told.cluster_names_)
for name, m in (("words alone", model), ("four messages read", told)):
    print(f"{name}: adjusted Rand index {adjusted_rand_score(subject, m.labels_):.2f}")

# %%
# At the left, how the messages of each subject were shared out by words alone; at the
# right, a map with the four messages that were read as rings.

names = ["new" if name is None else name for name in told.cluster_names_]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
called = {"row_title": "subject", "column_title": "cluster"}
plots.agreement(subject, model.labels_, **called, title="words alone", ax=left)
plots.map(told, title="four messages read", ax=right)

# %%
# And what each of the five is about:

figure, axes = plt.subplots(1, 5, figsize=(10, 2.2), layout="constrained")
for cluster, ax in enumerate(axes):
    found, more = telling_words(X, told.labels_, cluster)
    ax.barh(found[::-1], more[::-1], color="#56B4E9")
    ax.set(title=names[cluster], xticks=[])
    ax.spines[:].set_visible(False)
    ax.tick_params(left=False)

# %%
# Embeddings
# ----------
#
# Vectors of a language model go in the same way, one row for each text:
#
# .. code-block:: python
#
#     from sentence_transformers import SentenceTransformer
#
#     X = SentenceTransformer("all-MiniLM-L6-v2").encode(messages)
#
# They know that a courier has to do with parcels, which TF-IDF does not. Nothing is
# downloaded here, so latent semantic analysis stands in: it learns from the messages
# which words go together. Without any label it comes close to the five subjects.

meaning = make_pipeline(TruncatedSVD(50, random_state=0), Normalizer())
model = SSEPartition().fit(meaning.fit_transform(X))
print(model.scale_)
print(f"adjusted Rand index {adjusted_rand_score(subject, model.labels_):.2f}")
