// The width of an element in pixels, so that a chart is drawn in them and its text has the size of all other text.
import { type RefObject, useLayoutEffect, useState } from "react";

export function useWidth(element: RefObject<Element | null>, first: number): number {
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    if (!element.current) return;
    setWidth(element.current.clientWidth);
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? first));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, first]);
  return width;
}
