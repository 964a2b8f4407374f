import { Button, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

import classes from "./danger-zone.module.css";

/**
 * The box at the end of a page for what cannot be undone: what it is, what will happen, and the button.
 *
 * @param verb what the button does: "Delete domain"; a dialog that asks again should follow
 */
export function DangerZone({
  title,
  verb,
  onAct,
  children,
}: {
  title: string;
  verb: string;
  onAct: () => void;
  children: ReactNode;
}) {
  const titleId = useId();
  return (
    <section className={classes.zone} aria-labelledby={titleId}>
      <div className={classes.words}>
        <Title order={2} id={titleId}>
          {title}
        </Title>
        <Text c="dimmed" component="div">
          {children}
        </Text>
      </div>
      <Button variant="default" c="var(--mantine-color-error)" onClick={onAct}>
        {verb}
      </Button>
    </section>
  );
}
