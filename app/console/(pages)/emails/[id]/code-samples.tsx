"use client";

import { SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";

import { LANGUAGES } from "#app/console/(pages)/emails/code-of.ts";
import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { requestOf } from "#app/console/(pages)/emails/request-of.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";

import classes from "./code-samples.module.css";

/** Programs that send this very email, in several languages. */
export function CodeSamples({
  email,
  content,
}: {
  email: EmailDetail;
  content: NonNullable<EmailDetail["content"]>;
}) {
  const [language, setLanguage] = useState("curl");
  const code = LANGUAGES[language]!(window.location.origin, requestOf(email, content));
  return (
    <>
      <div className={classes.languages}>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={Object.keys(LANGUAGES)}
          value={language}
          onChange={setLanguage}
        />
      </div>
      <Text size="sm" c="dimmed" mb="xs">
        Your API key is read from the environment as <code>POSTHOUSE_API_KEY</code>.
        {email.attachments.length > 0 && " Put the files in where it says so, in base64."}
      </Text>
      <CodeBlock code={code} what={`${language} code`} />
    </>
  );
}
