import { useEffect, useId, useRef } from "react";

import classes from "./email-frame.module.css";

type EmailFrameProps = { html: string; title: string; scheme?: "light" | "dark" | "inverted" };

/**
 * Untrusted HTML in a sandboxed frame: no scripts and no requests. The HTML is posted to the server, which echoes it with its own content security
 * policy (server/web/pages.ts); `srcdoc` would inherit the console's.
 *
 * @param html the whole document, without a doctype
 * @param scheme `inverted` shows dark mode for emails that have no style for it
 */
export function EmailFrame({ html, title, scheme = "light" }: EmailFrameProps) {
  const name = `email${useId()}`;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.submit(), [html]);
  return (
    <>
      <form
        ref={form}
        method="post"
        encType="text/plain"
        action="/console/email-frame"
        target={name}
        hidden
      >
        {/* text/plain posts "name=value": the comment swallows the equals sign. */}
        <textarea name="<!doctype html><!--" defaultValue={`-->${html}`} key={html} />
      </form>
      {/* A new frame per document, so that Back leaves the page instead of going back inside the frame. */}
      <iframe
        key={html}
        className={classes.frame}
        data-scheme={scheme}
        name={name}
        title={title}
        sandbox=""
        referrerPolicy="no-referrer"
      />
    </>
  );
}
