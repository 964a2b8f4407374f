import { Title } from "@mantine/core";
import type { ReactNode } from "react";

import classes from "./empty-state.module.css";

/** Shown instead of an empty list: what belongs here, and the next step. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.empty} aria-label={title}>
      <Title order={2}>{title}</Title>
      {children}
    </section>
  );
}
