// An HTTP/2 service and a tunnelling proxy on free loopback ports, for the tests of the HTTP client.
//   node http2_server.mjs DIRECTORY      with cert.pem and key.pem in it; prints "SERVICE_PORT PROXY_PORT"
// What it does with a request is the request's model. It ends with its standard input.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { constants, createSecureServer } from 'node:http2';
import { connect } from 'node:net';

const directory = process.argv[2];
const sessions = new Map();  // Session to its number.
const requests = {};         // Model to the number of its requests.
let gathered = [];
const tunnels = { connects: 0, authorizations: 0 };

const answer = (stream, content) => {
  const message = { role: 'assistant', content: JSON.stringify(content) };
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end(JSON.stringify({ model: 'm', choices: [{ finish_reason: 'stop', message }] }));
};
const sessionOf = (stream) => ({ session: sessions.get(stream.session), sessions: sessions.size });

const models = {
  which: (stream) => answer(stream, sessionOf(stream)),
  count: (stream, { messages }) => answer(stream, requests[messages[0].content] ?? 0),
  tunnels: (stream) => answer(stream, tunnels),
  // All answers wait for the last of 64 requests, so they have to be under way at the same time.
  gather: (stream) => {
    gathered.push(stream);
    if (gathered.length < 64) return;
    for (const each of gathered) answer(each, sessionOf(each));
    gathered = [];
  },
  hang: () => {},
  reset: (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  reset_once: (stream) => (requests.reset_once === 1 ? models.reset(stream) : models.which(stream)),
  refuse_once: (stream) =>
    requests.refuse_once === 1 ? stream.close(constants.NGHTTP2_REFUSED_STREAM) : models.which(stream),
  // "The stream before this was the last that I looked at": safe to send again on another connection.
  go_away_once: (stream) => {
    if (requests.go_away_once > 1) return models.which(stream);
    stream.session.goaway(constants.NGHTTP2_NO_ERROR, stream.id - 2);
  },
  // Answers, and takes no further request on this connection.
  last_words: (stream) => {
    models.which(stream);
    stream.session.goaway(constants.NGHTTP2_NO_ERROR, stream.id);
  },
  drop_once: (stream) => (requests.drop_once === 1 ? stream.session.destroy() : models.which(stream)),
  half_a_stream: (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/event-stream' });
    stream.write('data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n', () => models.reset(stream));
  },
};

const service = createSecureServer({
  cert: readFileSync(`${directory}/cert.pem`),
  key: readFileSync(`${directory}/key.pem`),
  allowHTTP1: false,
});
service.on('session', (session) => sessions.set(session, sessions.size + 1));
service.on('sessionError', () => {});
service.on('stream', (stream) => {
  let body = '';
  stream.on('error', () => {});
  stream.setEncoding('utf8');
  stream.on('data', (piece) => (body += piece));
  stream.on('end', () => {
    const request = JSON.parse(body);
    requests[request.model] = (requests[request.model] ?? 0) + 1;
    models[request.model](stream, request);
  });
});

const proxy = createServer((_, reply) => reply.writeHead(405).end());
proxy.on('connect', (request, client) => {
  ++tunnels.connects;
  if (request.headers.authorization) ++tunnels.authorizations;
  if (request.headers['proxy-authorization'] !== `Basic ${btoa('guest:pass-canary-1')}`) {
    return client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
  }
  const [host, port] = request.url.split(':');
  const upstream = connect(Number(port), host, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
  for (const end of [client, upstream]) end.on('error', () => {});
});

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
console.log(await listen(service), await listen(proxy));
process.stdin.resume().on('end', () => process.exit(0));
