// The console's edge function: every address without a dot is a page, and all pages are one file.

/**
 * JavaScript for CloudFront Functions 2.0. A missing asset stays missing: an error page in place of a 403 would answer it with the page,
 * and status 200.
 */
export const pageAddresses = `function handler(event) {
  var request = event.request;
  if (request.uri.indexOf('.') < 0) request.uri = '/index.html';
  return request;
}
`;
