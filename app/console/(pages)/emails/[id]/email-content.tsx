"use client";

import { Tabs, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";

import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { inlineContentIds } from "#app/console/(pages)/emails/preview-document.ts";
import { type EmailDetail, readAttachment } from "#app/console/(pages)/emails/queries.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { EmailCodeSamples } from "./email-code-samples.tsx";
import classes from "./email-content.module.css";
import { EmailSource } from "./email-source.tsx";

/** Larger images are replaced with a placeholder; they can still be downloaded. */
const IMAGE_BYTES_MAX = 5_000_000;

type File = EmailDetail["attachments"][number];

type Image = { contentId: string; url: string };

export function EmailContent({ email }: { email: EmailDetail }) {
  if (!email.content)
    return (
      <Panel title="Content">
        <Text c="dimmed">
          {email.status === "failed"
            ? "The email was never sent, so its content wasn’t stored."
            : "Content and attachments are deleted three days after sending. The delivery history is kept."}
        </Text>
      </Panel>
    );
  const { html, text } = email.content;
  const tabs = [
    html !== null && { name: "Preview", panel: <EmailPreview email={email} html={html} /> },
    { name: "Text", panel: <TextPart text={text} /> },
    html !== null && { name: "HTML", panel: <CodeBlock code={html} label="HTML source" /> },
    {
      name: "Source",
      panel: <EmailSource emailId={email.id} isSent={email.messageId !== null} />,
    },
    { name: "Code", panel: <EmailCodeSamples email={email} content={email.content} /> },
  ].filter((tab) => tab !== false);
  return (
    <Panel title="Content">
      <Tabs defaultValue={tabs[0]!.name} keepMounted={false}>
        <Tabs.List mb="md" className={classes.tabs}>
          {tabs.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, panel }) => (
          <Tabs.Panel key={name} value={name}>
            {panel}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

function TextPart({ text }: { text: string | null }) {
  if (text === null)
    return (
      <Text c="dimmed">
        No text was provided. Posthouse generates a plain-text version from the HTML when sending.
      </Text>
    );
  if (text === "") return <Text c="dimmed">Sent without a plain-text version, as requested.</Text>;
  return <CodeBlock code={text} label="text" />;
}

/** The email as a recipient sees it, with its inline images. */
function EmailPreview({ email, html }: { email: EmailDetail; html: string }) {
  const shown = useMemo(() => inlineContentIds(html), [html]);
  const images = useQueries({
    queries: email.attachments
      .filter(({ contentId: id, size }) => shown.has(id ?? "") && size <= IMAGE_BYTES_MAX)
      .map((file) => imageQuery(email.id, file)),
    combine: byContentId,
  });
  return <HtmlPreview html={html} images={images} />;
}

const imageQuery = (emailId: string, { position, contentId: id, contentType: type }: File) => ({
  queryKey: ["emails", "getAttachment", emailId, position],
  async queryFn(): Promise<Image> {
    const { content } = await readAttachment(emailId, position);
    return { contentId: id ?? "", url: `data:${imageType(type)};base64,${content}` };
  },
  staleTime: Infinity,
});

/** Falls back to PNG, since browsers detect the actual format; never returns a type that isn't an image. */
const imageType = (type: string | null) =>
  /^image\/[\w.+-]+$/.test(type ?? "") ? type! : "image/png";

const byContentId = (results: { data?: Image | undefined }[]): Record<string, string> =>
  Object.fromEntries(results.flatMap(({ data }) => (data ? [[data.contentId, data.url]] : [])));
