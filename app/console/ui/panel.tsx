import { Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

import classes from "./panel.module.css";

/** A titled section of a page. */
export function Panel({
  title,
  aside,
  children,
}: {
  title?: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  const titleId = useId();
  return (
    <section className={classes.panel} aria-labelledby={title && titleId}>
      {title && (
        <div className={classes.head}>
          <Title order={2} id={titleId}>
            {title}
          </Title>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}
