"use client";

import { Button, Text } from "@mantine/core";
import { useMemo, useState } from "react";

import { EmailFrame } from "#app/console/ui/email-frame.tsx";

import classes from "./html-preview.module.css";
import { previewDocument } from "./preview-document.ts";

const NO_IMAGES = {};

/**
 * Renders an email's HTML without scripts or working links, and without remote content until the reader
 * loads it.
 *
 * @param images inline images as data URLs, by content ID
 */
export function HtmlPreview({
  html,
  images = NO_IMAGES,
}: {
  html: string;
  images?: Record<string, string>;
}) {
  const [withRemote, setWithRemote] = useState(false);
  const preview = useMemo(() => previewDocument(html, images), [html, images]);
  return (
    <>
      {preview.hasRemote && !withRemote && (
        <div className={classes.notice}>
          <Text size="sm">Remote images are blocked.</Text>
          <Button variant="default" size="xs" onClick={() => setWithRemote(true)}>
            Load images
          </Button>
        </div>
      )}
      <EmailFrame html={preview.html} loadRemoteImages={withRemote} title="Email preview" />
      <Text size="sm" c="dimmed" mt="xs">
        Links don’t work in the preview.
      </Text>
    </>
  );
}
