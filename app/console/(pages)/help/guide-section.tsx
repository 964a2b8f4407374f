import { Title } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";

import { CodeBlock } from "#app/console/ui/code.tsx";

import classes from "./help.module.css";

/** Values for the examples in guides. */
export type GuideContext = {
  /** Base URL of the API and the console. */
  url: string;
  /** One of the company's verified domains, or a placeholder. */
  domain: string;
  email: string;
};

/** Sections in a fragment. */
export type Guide = ReactElement<{ children: ReactNode }>;

export type GuideSectionProps = { id: string; title: string; children: ReactNode };

/** @param id the section's URL fragment */
export const GuideSection = ({ id, title, children }: GuideSectionProps) => (
  <section id={id} aria-labelledby={`${id}-title`}>
    <Title order={2} id={`${id}-title`}>
      {title}
    </Title>
    {children}
  </section>
);

export const GuideSample = ({ code, what }: { code: string; what: string }) => (
  <div className={classes.code}>
    <CodeBlock code={code} label={what} />
  </div>
);
