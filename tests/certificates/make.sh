#!/bin/sh
# Makes the certificates of the tests: an authority, a server `localhost` and a client `client`, for a hundred years.
set -e
cd "$(dirname "$0")"
ec() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 2>/dev/null; }
ec > ca.key
openssl req -x509 -new -key ca.key -subj "/CN=tidemark tests" -days 36500 -out ca.pem
for name in server client; do
    ec > $name.key
    common=localhost; [ $name = client ] && common=client
    printf 'subjectAltName=DNS:localhost\n' > extensions
    openssl req -new -key $name.key -subj "/CN=$common" |
        openssl x509 -req -CA ca.pem -CAkey ca.key -days 36500 -extfile extensions -out $name.crt 2>/dev/null
    cat $name.key $name.crt ca.pem > $name.pem
done
openssl pkcs8 -topk8 -in client.key -passout pass:key-secret -out locked.key
cat locked.key client.crt > client-locked.pem
openssl pkcs12 -export -inkey client.key -in client.crt -certfile ca.pem -passout pass:store-secret -out client.p12
rm -f ./*.key ./*.crt ./*.srl extensions
