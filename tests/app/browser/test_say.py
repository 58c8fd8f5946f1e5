"""Statements through the page: the mouse on the map, buttons, lists, keys and questions."""

import numpy as np
from sklearn.datasets import load_digits

TRUE = load_digits().target


def rows_of(tab, number):
    return np.flatnonzero(tab.array("labels", "cluster") == number)


def clusters_of(tab, rows):
    return tab.array("labels", "cluster")[rows].tolist()


def digit(number, n=3):
    """Rows of a digit."""
    return np.flatnonzero(number == TRUE)[:n].tolist()


def test_every_kind_of_statement(tab):
    page, before = tab.page, tab.array("labels", "cluster")
    first, second = tab.api("state")["clusters"][:2]

    inside = tab.around(first["typical"][:3])
    assert set(first["typical"][:3]) <= set(inside)
    assert page.inner_text("#say h2") == f"{len(inside)} rows selected"
    tab.picture("selected")
    tab.says("same")
    assert len(set(clusters_of(tab, inside))) == 1

    tab.click(digit(1)[0])
    tab.click(digit(7)[0], add=True)
    tab.says("different")
    assert len(set(clusters_of(tab, [digit(1)[0], digit(7)[0]]))) == 2

    tab.select(digit(9))
    tab.says("is", "nine")
    tab.select(digit(5))
    tab.says("is_not", "nine")
    tab.select(digit(5))
    state = tab.says("new_class", "five")
    assert state["classes"] == ["nine", "five"]
    nine, five = clusters_of(tab, digit(9)), clusters_of(tab, digit(5))
    assert len(set(nine)) == 1
    assert set(nine).isdisjoint(five)

    tab.select(first["typical"][:2])
    tab.says("stays")

    moved = int(rows_of(tab, tab.array("labels", "cluster")[second["typical"][0]])[0])
    tab.click(moved)
    page.click('#bar [data-say="move"]')
    target = page.locator("dialog.choose button.choice").nth(1)  # after "A new cluster"
    state = tab.does(target.click)
    assert clusters_of(tab, [moved]) == clusters_of(tab, [state["clusters"][0]["typical"][0]])

    tab.select(digit(3))
    tab.button("keep").click()
    tab.select(digit(8))
    state = tab.says("different")
    assert set(clusters_of(tab, digit(3))).isdisjoint(clusters_of(tab, digit(8)))

    kinds = ["same", "different", "is", "is_not", "is", "stays", "move", "different"]
    assert [one["kind"] for one in state["statements"]] == kinds
    assert tab.statements() == [
        [kind, "applied" if kind == "move" else "kept"] for kind in reversed(kinds)
    ]
    tab.picture("statements")

    # Taken back one by one, all is as it was; done again, as it was after that.
    after = tab.array("labels", "cluster")
    for _ in kinds:
        state = tab.does(page.locator("#undo").click)
    assert not state["can_undo"]
    assert (tab.array("labels", "cluster") == before).all()
    assert page.locator("#undo").is_disabled()
    for _ in kinds:
        tab.does(lambda: page.keyboard.press("Control+Shift+z"))
    assert (tab.array("labels", "cluster") == after).all()

    # One is deleted from the list, and this is taken back.
    tab.does(page.locator("li.statement[data-kind=move] button[aria-label^=Delete]").click)
    assert page.locator("li.statement").count() == len(kinds) - 1
    tab.does(lambda: page.keyboard.press("Control+z"))
    assert page.locator("li.statement").count() == len(kinds)


def test_a_contradiction_is_shown_with_its_proof(tab):
    page = tab.page
    a, b, c = digit(0)
    for pair, what in (([a, b], "same"), ([b, c], "same"), ([a, c], "different")):
        tab.select(pair)
        state = tab.says(what)
    assert tab.statements()[0] == ["different", "contradicting"]
    shown = page.locator('li.statement[data-verdict="contradicting"] .proof li').all_inner_texts()
    assert shown == state["statements"][-1]["proof"]
    assert shown == [
        f"row {a} and row {b} belong together",
        f"row {b} and row {c} belong together",
        f"row {a} and row {c} are apart",
    ]
    assert len(set(clusters_of(tab, [a, b, c]))) == 1
    tab.picture("contradiction")
    # One of the others deleted, it counts.
    tab.does(page.locator("li.statement[data-kind=same] button[aria-label^=Delete]").first.click)
    assert tab.statements() == [["different", "kept"], ["same", "kept"]]


def test_clusters_are_merged_split_renamed_and_counted(tab):
    page, state = tab.page, tab.api("state")
    found = len(state["clusters"])

    def menu(cluster, entry):
        page.click(f'li:has([data-cluster="{cluster["number"]}"]) .menu-button')
        page.get_by_role("menuitem", name=entry).click()

    slider = page.locator("#scale-slider")
    slider.focus()
    state = tab.does(lambda: slider.fill("8"))
    assert len(state["clusters"]) == 8
    assert page.inner_text(".scale-number") == "8"
    page.click(".scale-why")
    tab.picture("scale")
    state = tab.does(page.get_by_role("button", name="Choose automatically").click)
    assert state["scale"]["asked"] is None
    assert len(state["clusters"]) == found

    one, other = state["clusters"][:2]
    menu(one, "Merge")
    merging = page.locator("dialog.choose button.choice", has_text=other["name"] or "Cluster 1")
    state = tab.does(merging.first.click)
    assert len(state["clusters"]) == found - 1
    assert len(set(clusters_of(tab, [one["typical"][0], other["typical"][0]]))) == 1
    size = one["size"] + other["size"]
    (merged,) = [cluster for cluster in state["clusters"] if cluster["size"] == size]
    assert page.inner_text("#clusters h2") == f"{found - 1} clusters"
    assert state["moved"]["n"] == min(one["size"], other["size"])
    assert f"{state['moved']['n']} rows moved" in page.inner_text("#summary")

    menu(merged, "Rename")
    page.fill("dialog.ask [name=value]", "<b>joined</b>")
    state = tab.does(lambda: page.click("dialog.ask [type=submit]"))
    named = page.locator(f'[data-cluster="{merged["number"]}"] .name')
    assert named.inner_text() == "<b>joined</b>"

    menu(merged, "Split")
    page.fill("dialog.ask [name=value]", "3")
    state = tab.does(lambda: page.click("dialog.ask [type=submit]"))
    assert len(state["clusters"]) == found + 1
    kinds = ["scale", "scale", "merge", "rename", "split"]
    assert [one["kind"] for one in state["statements"]] == kinds


def test_questions_are_answered_by_keys(tab):
    page = tab.page
    page.keyboard.press("a")
    page.wait_for_selector(".ask-body[aria-busy=false] .ask-option")
    tab.picture("question")
    for key in ("1", "u", "n", "2"):
        page.wait_for_selector(".ask-body[aria-busy=false] .ask-option")
        state = tab.does(lambda key=key: page.keyboard.press(key))
    assert [one["kind"] for one in state["statements"]] == ["answer"] * 4
    assert state["progress"]["answers"] == 3  # one was unsure
    page.wait_for_selector(".ask-body[aria-busy=false]")
    tab.does(lambda: page.keyboard.press("z"))
    assert tab.api("state")["statements"][-1]["state"] == "undone"
