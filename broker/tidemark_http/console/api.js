// Requests to /v1. A failed request throws an ApiError with the broker's message, the wrong field and the page that helps.

const TIMEOUT_MS = 10_000;

export class ApiError extends Error {
  constructor(status, body) {
    const error = body && body.error ? body.error : {};
    super(error.message || `the broker responded with status ${status}`);
    this.status = status;
    this.code = error.code || null;
    this.field = error.field || null;
    this.documentation = error.documentation || null;
  }
}

export async function get(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const search = new URLSearchParams(given).toString();
  return respond(await fetch(`/v1${path}${search ? `?${search}` : ""}`, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) }));
}

export async function post(path, body = {}) {
  return respond(await fetch(`/v1${path}`, { method: "POST", body: JSON.stringify(body) }));
}

export async function remove(path) {
  return respond(await fetch(`/v1${path}`, { method: "DELETE" }));
}

async function respond(response) {
  let body = null;
  try {
    body = await response.json();
  } catch (error) {
    if (response.ok) throw error;
  }
  if (!response.ok) throw new ApiError(response.status, body);
  return body;
}
