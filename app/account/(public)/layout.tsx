import type { ReactNode } from "react";

import { Wordmark } from "#app/console/ui/wordmark.tsx";

import classes from "./layout.module.css";

export default function AccountPublicLayout({ children }: { children: ReactNode }) {
  return (
    <div className={classes.page}>
      <main className={classes.column}>
        <Wordmark />
        {children}
      </main>
    </div>
  );
}
