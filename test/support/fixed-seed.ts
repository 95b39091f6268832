import fc from "fast-check";

// The same inputs every time, so that a red run means a change and not a throw of dice. Campaigns look for new ones:
// WRIT_CAMPAIGN=1 draws its own seed, and fast-check prints it with whatever it finds.
if (!process.env["WRIT_CAMPAIGN"]) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_115 });
