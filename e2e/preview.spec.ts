import { expect, test } from "./fixtures.ts";

// The browser reports everything it blocks in the preview.
test.use({ expectedConsoleErrors: /Content Security Policy|sandboxed/ });

test("the preview runs no scripts, follows no links and loads remote images only on request", async ({
  page,
  signIn,
  sendEmail,
}) => {
  const me = await signIn();
  const requested: string[] = [];
  await page.route(/remote\.example/, (route) => {
    requested.push(route.request().url());
    return route.fulfill({ contentType: "image/png", body: "" });
  });
  const html = `<base href="http://remote.example/base/"><meta http-equiv="refresh" content="0;url=http://remote.example/refresh">
    <link rel="stylesheet" href="http://remote.example/style.css"><style>p { color: rgb(1, 2, 3) }</style>
    <p onclick="top.x = 1">Hello</p><script>top.location = "http://remote.example/script"</script>
    <img src="http://remote.example/open.gif" onerror="top.location = 'http://remote.example/error'">
    <iframe src="http://remote.example/frame"></iframe>
    <a href="http://remote.example/click" target="_self">Click</a>`;
  const id = await sendEmail(me, { subject: "Preview", html });
  await page.goto(`/console/emails/${id}`);

  const preview = page.frameLocator("iframe");
  await expect(preview.getByText("Hello")).toHaveCSS("color", "rgb(1, 2, 3)");
  await preview.getByText("Click").click();
  await expect(preview.getByText("Hello")).toBeVisible();
  expect(requested).toEqual([]);
  expect(page.context().pages()).toHaveLength(1);

  await page.getByRole("button", { name: "Load images" }).click();
  await expect.poll(() => requested).toEqual(["http://remote.example/open.gif"]);
});

/** A one-pixel image. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("the preview shows inline images, and a placeholder for a missing one", async ({
  page,
  signIn,
  sendEmail,
}) => {
  const me = await signIn();
  const html = `<p>Hello</p><img alt="Logo" src="cid:logo@shop"><img alt="Lost" src="cid:lost">`;
  const file = { filename: "logo.png", content: PNG, content_id: "logo@shop" };
  const id = await sendEmail(me, { subject: "Images", html, attachments: [file] });
  await page.goto(`/console/emails/${id}`);
  const preview = page.frameLocator("iframe");
  const logo = preview.getByRole("img", { name: "Logo" });
  await expect(logo).toHaveAttribute("src", `data:image/png;base64,${PNG}`);
  await expect(logo).toHaveJSProperty("naturalWidth", 1);
  await expect(preview.getByRole("img", { name: "Lost" })).toHaveAttribute("src", /^data:image/);
});
