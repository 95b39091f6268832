import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./ui/tokens.css";
import "./ui/base.css";
import { applyScheme } from "./ui/scheme.ts";

applyScheme();
const place = document.getElementById("studio");
if (!place) throw new Error("index.html has no place for the studio");
createRoot(place).render(<App />);
