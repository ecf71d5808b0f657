from shop import Shop, run

run(Shop)
