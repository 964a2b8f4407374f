"use client";

import { SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";

import { CODE_SNIPPETS } from "#app/console/(pages)/emails/code-snippets.ts";
import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { requestBody } from "#app/console/(pages)/emails/request-body.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";

import classes from "./email-code-samples.module.css";

/** Code that sends this email through the API, in several languages. */
export function EmailCodeSamples({
  email,
  content,
}: {
  email: EmailDetail;
  content: NonNullable<EmailDetail["content"]>;
}) {
  const [language, setLanguage] = useState("curl");
  const code = CODE_SNIPPETS[language]!(window.location.origin, requestBody(email, content));
  return (
    <>
      <div className={classes.languages}>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={Object.keys(CODE_SNIPPETS)}
          value={language}
          onChange={setLanguage}
        />
      </div>
      <Text size="sm" c="dimmed" mb="xs">
        The code reads your API key from the <code>POSTHOUSE_API_KEY</code> environment variable.
        {email.attachments.length > 0 &&
          " Replace the attachment placeholders with base64-encoded files."}
      </Text>
      <CodeBlock code={code} label={`${language} code`} />
    </>
  );
}
