import { Portal } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

import classes from "./printed-page.module.css";

type PrintedPageProps = { onPrinted: () => void; children: ReactNode };

/**
 * Prints its children without the page, when it is rendered. A popup would print the same, but browsers block popups.
 *
 * @param onPrinted removes it; called when the print dialog closes
 */
export function PrintedPage({ onPrinted, children }: PrintedPageProps) {
  useEffect(() => {
    window.addEventListener("afterprint", onPrinted);
    window.print();
    return () => window.removeEventListener("afterprint", onPrinted);
    // Prints once, when mounted.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return (
    <Portal className={classes.paper} reuseTargetNode={false}>
      {children}
    </Portal>
  );
}
