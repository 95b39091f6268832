import { useEffect, useRef, useState } from "react";

/** The same value, and a new one at most so often: what comes in bursts is read once. */
export function useCalm<T>(value: T, ms: number): T {
  const [calm, setCalm] = useState(value);
  const last = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, last.current + ms - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      setCalm(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return calm;
}
