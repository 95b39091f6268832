const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** What opens the palette, as it is printed on the keyboard at hand. */
export const goToKey = isMac ? "⌘K" : "Ctrl K";
