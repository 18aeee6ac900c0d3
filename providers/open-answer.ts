type Opened =
  | { readonly stream: Response; readonly text?: never }
  | { readonly stream?: never; readonly text: string };

/**
 * An answer as a stream of events, or as the text of one document: servers that
 * do not stream answer with one, and some mislabel their stream.
 *
 * @param begins - how a stream of this wire begins
 */
export const openAnswer = async (
  response: Response,
  begins: string,
): Promise<Opened> => {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) return { stream: response };
  const text = await response.text();
  return text.startsWith(begins) ? { stream: new Response(text) } : { text };
};
harden(openAnswer);
