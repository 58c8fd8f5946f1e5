"""The page to the eye: panels, colours, themes, narrow screens, barriers."""

import os

import pytest

from live_page import AXE


def test_colours_search_and_tree(tab):
    page = tab.page
    for by, title in (("strength", "strength"), ("said", "said"), ("changed", "moved")):
        page.select_option("#colour-by", by)
        page.wait_for_function(
            "title => document.querySelector('.legend').innerText.toLowerCase().includes(title)",
            arg=title,
        )
    feature = tab.api("state")["data"]["features"][20]["name"]
    page.select_option("#colour-by", f"column:{feature}")
    page.locator(".legend-title", has_text=feature).wait_for()
    tab.picture("colour-by-feature")

    page.keyboard.press("/")
    page.keyboard.type(f"{feature} > 15")
    page.keyboard.press("Enter")
    expected = (tab.array(f"column?name={feature}", "value") > 15).sum()
    page.get_by_role("heading", name=f"{expected} rows selected").wait_for()
    page.keyboard.press("Escape")

    page.emulate_media(reduced_motion="reduce")  # a picture follows: no colours on their way
    page.select_option("#colour-by", "cluster")
    page.click("#tab-tree")
    cluster = tab.api("state")["clusters"][0]
    page.locator(".tree-block", has_text=cluster["name"] or "Cluster 0").first.click()
    page.click("#tab-say")
    page.get_by_role("heading", name=f"{cluster['size']} rows selected").wait_for()
    page.click("#tab-tree")
    tab.picture("tree")

    # The row under the mouse is shown, with its picture.
    page.keyboard.press("Escape")
    page.mouse.move(*tab.places()[cluster["typical"][0]])
    page.locator("#rowcard canvas").wait_for()
    tab.picture("row")


#: Rules about colours: all else is the same in the dark.
COLOURS = ["color-contrast", "link-in-text-block"]
THEMES = [{"color_scheme": "light"}, {"color_scheme": "dark"}]


@pytest.mark.parametrize("tab", THEMES, indirect=True, ids=["light", "dark"])
def test_no_barriers_in_any_panel(tab, request):
    if not AXE.exists() and not os.environ.get("SENTREE_CI"):
        pytest.skip("axe-core is not installed: make js")
    page, theme = tab.page, request.node.callspec.id
    rules = COLOURS if theme == "dark" else None
    assert page.get_attribute("html", "data-theme") == theme
    cluster = tab.api("state")["clusters"][0]
    page.click(f'[data-cluster="{cluster["number"]}"]')
    tab.picture(f"say-{theme}")
    found = tab.barriers(rules=rules)  # of the whole page; below, of what is new
    page.keyboard.press("Escape")
    page.click("#tab-ask")
    page.wait_for_selector(".ask-body[aria-busy=false] .ask-option")
    found += tab.barriers("#side", rules)
    page.click("#tab-tree")
    page.locator(".tree-block").first.wait_for()
    found += tab.barriers("#side", rules)
    page.click(".export-open")
    tab.picture(f"export-{theme}")
    found += tab.barriers(":popover-open", rules)
    page.keyboard.press("Escape")
    page.click(".scale-why")
    found += tab.barriers(":popover-open", rules)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    tab.picture(f"help-{theme}")
    found += tab.barriers("dialog[open]", rules)
    page.get_by_role("button", name="Close").click()
    page.click("#open")
    found += tab.barriers("#start", rules)
    assert found == []


@pytest.mark.parametrize("tab", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
def test_a_narrow_screen(tab):
    page = tab.page
    for panel in ("clusters", "say", "ask", "tree"):
        page.click(f"#tab-{panel}")
        tab.picture(f"narrow-{panel}")
        wide = "document.documentElement.scrollWidth"
        assert page.evaluate(wide) == 390
    assert page.locator("#map .overlay").bounding_box()["height"] > 250
    if AXE.exists() or os.environ.get("SENTREE_CI"):
        assert tab.barriers() == []
